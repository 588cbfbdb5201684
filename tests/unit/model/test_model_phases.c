/* Phases of a model: what is refused, and which joints are there when. */
#include "model_fixture.h"

static sar_phase_def phase_at(double t, const sar_joint_id* add, int adds)
{
    sar_phase_def def = sar_phase_def_default();
    def.at = t, def.add = add, def.adds = adds;
    return def;
}

static sar_joint_id add_absent(sar_model* m, const char* name)
{
    sar_joint_def def = joint_between(m, name, SAR_JOINT_REVOLUTE);
    sar_joint_id id = {-1};
    def.absent = 1;
    CHECK_STATUS(sar_model_add_joint(m, &def, &id, NULL), SAR_OK);
    return id;
}

TEST(joints_come_and_go_in_order)
{
    sar_model* m = two_bodies(2);
    sar_joint_id A = add_joint(m, "A", SAR_JOINT_REVOLUTE), B = add_absent(m, "B");
    sar_phase_def def = phase_at(1, &B, 1);
    CHECK_STATUS(sar_model_add_phase(m, &def, NULL), SAR_OK);
    def = sar_phase_def_default();
    def.when = "crank.angle - rod.angle", def.crossing = SAR_CROSSING_RISING;
    def.remove = &A, def.removes = 1;
    CHECK_STATUS(sar_model_add_phase(m, &def, NULL), SAR_OK);
    def = phase_at(2, &A, 1);
    def.remove = &B, def.removes = 1;
    CHECK_STATUS(sar_model_add_phase(m, &def, NULL), SAR_OK);
    const int present[4][2] = {{1, 0}, {1, 1}, {0, 1}, {1, 0}};
    for (int k = 0; k < 4; k++) {
        CHECK(sari_model_joint_present(m, A.i, k) == present[k][0]);
        CHECK(sari_model_joint_present(m, B.i, k) == present[k][1]);
    }
    CHECK(sar_model_phases(m) == 3);
    CHECK_TEXT(sar_model_phase(m, 1).when, "crank.angle - rod.angle");
    CHECK(sar_model_phase(m, 2).add[0].i == A.i && sar_model_phase(m, 2).remove[0].i == B.i);
    CHECK(sar_model_phase(m, 3).adds == 0 && sar_model_phase(m, -1).adds == 0);
    sar_model_destroy(m);
}

TEST(contradictions_are_refused)
{
    sar_model* m = two_bodies(2);
    sar_joint_id A = add_joint(m, "A", SAR_JOINT_REVOLUTE), B = add_absent(m, "B");
    sar_joint_id twice[2] = {B, B}, none = {7};
    sar_phase_def def = phase_at(1, &A, 1);
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "add", "there already");
    def = phase_at(1, twice, 2);
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "add", "listed twice");
    def = phase_at(1, &none, 1);
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "add", "no joint 7");
    def = phase_at(NAN, &B, 1);
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "at", "");
    def = phase_at(1, NULL, 0);
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "add", "neither");
    def.remove = &B, def.removes = 1;
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "remove", "not there");
    def.add = &B, def.adds = 1;
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "add", "both added and removed");
    def = phase_at(0, &B, 1);
    def.when = "A.fx";
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "when", "reaction");
    def = phase_at(1, &B, 1);
    CHECK_STATUS(sar_model_add_phase(m, &def, NULL), SAR_OK);
    def = phase_at(1, NULL, 0);
    def.remove = &B, def.removes = 1;
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "at", "in order");
    sar_model_destroy(m);
}

TEST(a_drive_needs_its_joint)
{
    sar_model* m = two_bodies(2);
    sar_joint_id A = add_joint(m, "A", SAR_JOINT_REVOLUTE), D = {-1};
    sar_drive_def drive = sar_drive_def_default();
    drive.name = "D", drive.joint = A, drive.value = "t";
    CHECK_STATUS(sar_model_add_drive(m, &drive, &D, NULL), SAR_OK);
    sar_joint_id both[2] = {A, D};
    sar_phase_def def = sar_phase_def_default();
    def.at = 1, def.remove = both, def.removes = 1;
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "remove", "needs it");
    def.removes = 2;
    CHECK_STATUS(sar_model_add_phase(m, &def, NULL), SAR_OK);
    def = phase_at(2, &D, 1);
    CHECK_REFUSED(m, sar_model_add_phase(m, &def, &error), "add", "add both");
    sar_model_destroy(m);
}

TEST(only_late_joints_attach)
{
    sar_model* m = two_bodies(3);
    sar_joint_def def = joint_between(m, "A", SAR_JOINT_SPHERICAL);
    def.attach_here = 1;
    CHECK_REFUSED(m, sar_model_add_joint(m, &def, NULL, &error), "attach", "active: no");
    def.absent = 1;
    CHECK_STATUS(sar_model_add_joint(m, &def, NULL, NULL), SAR_OK);
    sar_model_destroy(m);
}
