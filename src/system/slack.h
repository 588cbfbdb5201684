/* Slack: combinations of rows that contradict each other by less than the precision of the drawing,
 * and are not enforced. Found and followed by simulation/start/contradictions.c. */
#ifndef SARI_SLACK_H
#define SARI_SLACK_H

typedef struct sari_slack {
    int count;        ///< 0: all rows can be met
    int rows;         ///< that they combine: the first ones
    double* u;        ///< orthonormal, each `rows` long
    double* work;     ///< 2 `rows`
    double tolerance; ///< rows that hold by less are among them
    double*
        offset; ///< taken out of Phi: what singular configurations lack (simulation/singular/crossings.c),
                ///< NULL: nothing
    double gap; ///< the largest of Phi along them, at its last evaluation
} sari_slack;

/// Take the part along the slack out of residuals, so that the others are met in the least-squares
/// sense. Returns the largest component taken out.
double sari_slack_drop(const sari_slack* slack, double* rows);

#endif
