#ifndef SARI_DOP853_RADAU_H
#define SARI_DOP853_RADAU_H

int sari_dop853_radau_implicit(const void* self); ///< was the last step one of radau's?

#endif
