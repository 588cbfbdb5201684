#include "import/importer.h"
void sari_import_sdf(sari_importer* im, const sari_xml* root) { sari_import_error(im, root->place, "not yet"); }
void sari_import_gazebo_joint(sari_importer* im, const sari_xml* root) { sari_import_error(im, root->place, "not yet"); }
