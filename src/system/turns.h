/* Angles that count revolutions.
 *
 * Polynomials give an angle up to whole revolutions. Which one it is in follows from the angle that was
 * last committed, at the start and after every step, and from how fast it changes: of all angles that
 * differ by revolutions the one nearest to
 *
 *     last + (t - t_last) (rate_last + rate)/2                                                  (1)
 *
 * is taken, or where the angle is linear in the coordinates, with the gradient g, the one nearest to
 *
 *     last + g . (q - q_last)                                                                   (2)
 *
 * So steps may be longer than half a revolution, and evaluations within a step, or of steps that are rejected,
 * change nothing. All scalars that are the same angle, in forces, relations, bounds and signals, begin in
 * the same revolution and are counted by this rule.
 *
 * The first revolution: the drawing says it, by the windings of the bodies (sar_body_def), unless
 *
 *     a start condition or a drive gives the angle: then it is that;
 *     it is outside of the bounds of a constraint or of a stop, and in another revolution it is not: then
 *     it is the nearest one within.
 *
 * Without a winding of more than half a revolution angles are drawn between -180 and 180 degrees, and so
 * are those of joints whose zero is the drawing itself. */
#ifndef SARI_TURNS_H
#define SARI_TURNS_H

#include "system/system.h"

/// The angle atan2(a, b) of a scalar, with its revolutions. `rate`: that of now, or where it is not known
/// the scalar's last one.
double sari_counted_angle(const sari_kinematics* k, int scalar, double a, double b, double rate);

/// The state is the one from which the next are counted on, and so are foot points on curves. Kinematics
/// are there: with velocities, or the rates are taken as before.
void sari_turns_commit(sari_kinematics* k, double t);

/// Does any angle, or any foot point?
int sari_turns_count(const sari_kinematics* k);

/// From where `from` counts, whose mechanism is like this one.
void sari_turns_copy(const sari_kinematics* from, sari_kinematics* to);

/// `last` of all angles was set: nothing else is known of them yet.
void sari_turns_begin(sari_kinematics* k, double t);

/// Begin: the first revolution of all angles, before the bodies are moved from where they are drawn.
void sari_turns_start(sari_system* s, double t);
/// After that: angles that were moved by half a revolution, up to rounding, are +180 degrees.
void sari_turns_resolve_halves(sari_kinematics* k);

#endif
