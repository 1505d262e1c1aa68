// The public header compiles as C++, and the library links and answers from there.
#include "rkhs.h"

#include <cstring>

int main() {
    rkhs_env *env = nullptr;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;
    rkhs_data *data = nullptr;
    const double values[4] = {0, 1, 2, 3};
    if (rkhs_data_dense(env, values, 2, 2, 2, &data) != RKHS_OK) return 1;
    const bool good = rkhs_data_rows(data) == 2 && std::strcmp(rkhs_data_kind(data), "dense") == 0;
    rkhs_data_free(data);
    rkhs_env_free(env);
    return good ? 0 : 1;
}
