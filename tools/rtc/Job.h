// One request of ds4-rtc, answered through the hipRTC of its provider.
#pragma once

#include "runtime/hip/RtcProtocol.h"

namespace ds4 {

// Never throws for what a request can cause: failures are the answer's status and log.
hip::RtcAnswer answerRequest(const hip::RtcRequest &request);

} // namespace ds4
