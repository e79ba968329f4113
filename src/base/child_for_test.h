#ifndef ACLNN_CPU_BASE_CHILD_FOR_TEST_H_
#define ACLNN_CPU_BASE_CHILD_FOR_TEST_H_

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace aclnn_cpu {

using Settings = std::vector<std::pair<const char*, const char*>>;

// What `body` prints to standard output in a forked child that has these environment variables; for
// state that is read once per process, which the parent therefore must not have touched. How the
// child ended is appended unless it returned normally.
template <typename Body>
std::string OutputOfChild(const Settings& settings, const Body& body) {
  int ends[2];
  if (pipe(ends) != 0) return "[pipe failed]";
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (const auto& [name, value] : settings) setenv(name, value, 1);
    body();
    std::fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    output.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return output + "[fork failed]";
  if (WIFSIGNALED(status)) output += "[signal " + std::to_string(WTERMSIG(status)) + "]";
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    output += "[exit " + std::to_string(WEXITSTATUS(status)) + "]";
  }
  return output;
}

}  // namespace aclnn_cpu

#endif  // ACLNN_CPU_BASE_CHILD_FOR_TEST_H_
