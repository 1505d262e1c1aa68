/* score.h: numbers that say how good an embedding is. */
#ifndef RK_SCORE_H
#define RK_SCORE_H

#include "kernel/kernel.h"

extern const rk_list rk_scores;

#endif
