#include "app/pricing/base/risk_request.h"

#include <stdlib.h>

void scenario_requests_free(int n, struct scenario_request *requests)
{
    for (int i = 0; requests && i < n; i++) {
        free(requests[i].name);
        free(requests[i].shocks);
    }
    free(requests);
}

void risk_request_free(struct risk_request *request)
{
    scenario_requests_free(request->n_scenarios, request->scenarios);
    scenario_requests_free(request->n_days, request->days);
    *request = (struct risk_request){0};
}
