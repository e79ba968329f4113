/* Makes the library run out of memory: std::bad_alloc is then thrown and caught inside it, which
 * ends the process where the unwinder does not know the library. Exceptions are counted, so that a
 * library which throws none does not pass unseen. */
#include <dlfcn.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client.h"

typedef void (*ThrowFunction)(void*, void*, void (*)(void*));

static ThrowFunction throw_exception;
static int exceptions;

#ifdef __cplusplus
extern "C"
#endif
    void
    __cxa_throw(void* object, void* type, void (*destructor)(void*));

/* Takes the place of the C++ run time's function, for the library too. */
void __cxa_throw(void* object, void* type, void (*destructor)(void*)) {
  ++exceptions;
  throw_exception(object, type, destructor);
}

/* Limits the address space to what is used now and <slack> bytes more. */
static void LimitMemory(size_t slack, struct rlimit* before) {
  struct rlimit limit;
  unsigned long pages = 0;
  FILE* statm = fopen("/proc/self/statm", "r");
  REQUIRE(statm != NULL && fscanf(statm, "%lu", &pages) == 1);
  fclose(statm);
  REQUIRE(getrlimit(RLIMIT_AS, before) == 0);
  limit = *before;
  limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + slack;
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

int main(int argc, char** argv) {
  const size_t count = (size_t)8 << 20;
  int64_t* values = (int64_t*)calloc(count, sizeof(int64_t));
  __typeof__(&aclCreateIntArray) create;
  __typeof__(&aclDestroyIntArray) destroy;
  aclIntArray* array;
  struct rlimit before;
  void *library, *address;

  REQUIRE(argc == 2 && values != NULL);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != NULL);
  REQUIRE((address = dlsym(library, "__cxa_throw")) != NULL);
  memcpy(&throw_exception, &address, sizeof(address));
  REQUIRE((address = dlsym(library, "aclCreateIntArray")) != NULL);
  memcpy(&create, &address, sizeof(address));
  REQUIRE((address = dlsym(library, "aclDestroyIntArray")) != NULL);
  memcpy(&destroy, &address, sizeof(address));

  LimitMemory((size_t)16 << 20, &before);
  REQUIRE(create(values, count) == NULL);
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  REQUIRE(exceptions > 0);

  array = create(values, count);
  REQUIRE(array != NULL);
  REQUIRE(destroy(array) == 0);
  free(values);
  return 0;
}
