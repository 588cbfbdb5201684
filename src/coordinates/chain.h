/* What other evaluators share with the chain rule (system/evaluator.h). */
#ifndef SARI_CHAIN_H
#define SARI_CHAIN_H

#include "system/system.h"

sar_status sari_chain_list(sari_kinematics* k, int poly);
double sari_chain_gradient(const sari_kinematics* k, int poly, double* g);
void sari_chain_gradient_rate(const sari_kinematics* k, int poly, double* g);
void sari_chain_hessian(const sari_kinematics* k, int count, const int* poly, const double* s,
                        double* H);
void sari_chain_pull(const sari_kinematics* k, int b, const double* G, double* out);
void sari_chain_column(const sari_kinematics* k, int b, int j, double* dX);
void sari_chain_add_second(const sari_kinematics* k, int b, const double* G, int j, double* out);
void sari_chain_accelerations(const sari_kinematics* k, const double* a, double* Xdd);
void sari_chain_rows(sari_system* s, unsigned what);

#endif
