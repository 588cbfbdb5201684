#include "import/importer.h"
void sari_import_mjcf(sari_importer* im, const sari_xml* root) { sari_import_error(im, root->place, "not yet"); }
