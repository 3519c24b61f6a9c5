// Continues a text. Usage: generate_cpp PLAN WEIGHTS DEVICE COUNT TEXT
#include <ds4rt.hpp>

#include <cstdlib>
#include <iostream>

int main(int argc, char **argv) {
  if (argc != 6) {
    std::cerr << "usage: generate_cpp PLAN WEIGHTS DEVICE COUNT TEXT\n";
    return DS4RT_USER;
  }
  try {
    ds4rt_options options{};
    options.device = argv[3];
    ds4rt::Session session(argv[1], argv[2], options);
    session.feed(session.tokenize(argv[5]));
    for (int left = std::atoi(argv[4]); left > 0; --left) {
      const auto id = session.next();
      if (!id)
        break;
      std::cout << session.text(*id) << std::flush;
    }
    std::cout << "\nsha256 " << session.responseSha256() << "\n";
  } catch (const ds4rt::Error &error) {
    std::cerr << "generate_cpp: error: " << error.what() << "\n";
    return error.status();
  }
}
