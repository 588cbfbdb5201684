/* Joints that attach where they are: what system.c and attach.c share. */
#ifndef SARI_ATTACH_H
#define SARI_ATTACH_H

#include "system/system.h"

/// Make memory for what attaching writes; nothing if no joint of the model attaches.
sar_status sari_system_rehearse(sari_system* s);

#endif
