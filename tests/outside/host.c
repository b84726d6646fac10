// Loads the plugin and knows nothing of mbsens.
//   host PLUGIN MODEL
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *plugin = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!plugin) {
    fprintf(stderr, "%s\n", argc == 3 ? dlerror() : "usage: host PLUGIN MODEL");
    return 1;
  }
  double (*first_derivative)(const char *);
  *(void **)&first_derivative = dlsym(plugin, "plugin_first_derivative");
  printf("%.10g\n", first_derivative(argv[2]));
  return dlclose(plugin);
}
