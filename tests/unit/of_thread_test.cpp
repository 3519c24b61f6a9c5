#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "support/OfThread.h"

namespace ds4 {
namespace {

struct Words {
  std::string text;
};

std::string seenLate;

// Made before the thread's words, so it ends after them.
struct Late {
  ~Late() {
    ofThread<Words>().text += "late words, too long to be kept inside the string";
    seenLate = ofThread<Words>().text;
  }
};

} // namespace

TEST(OfThread, EachThreadHasItsOwn) {
  ofThread<Words>().text = "first";
  std::thread([] {
    EXPECT_EQ(ofThread<Words>().text, "");
    ofThread<Words>().text = "second";
  }).join();
  EXPECT_EQ(ofThread<Words>().text, "first");
}

TEST(OfThread, MayBeAskedForAfterItsEnd) {
  std::thread([] {
    thread_local Late late;
    (void)&late;
    ofThread<Words>().text = "early words, too long to be kept inside the string";
  }).join();
  EXPECT_EQ(seenLate, "late words, too long to be kept inside the string");
}

} // namespace ds4
