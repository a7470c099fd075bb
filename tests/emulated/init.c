/*
 * Process 1 of the emulated machine.  Runs the commands of /commands, each line of which is a letter and a text:
 * d DIRECTORY to work in, e NAME=VALUE for the environment, c COMMAND LINE split at blanks, and ends the emulator.
 * A record separator (036) sets its own lines apart from what the commands print.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void check_processor(void)
{
    static const char *const wanted[] = {"avx512f",      "avx512bw", "avx512vl", "avx512dq",
                                         "avx512_vbmi2", "gfni",     "sha_ni"};
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && getline(&line, &size, file) > 0 && strncmp(line, "flags", 5) != 0)
        continue;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char word[32];
        snprintf(word, sizeof word, " %s ", wanted[i]);
        if (line == NULL || strstr(line, word) == NULL)
            printf("\036lacks %s\n", wanted[i]);
    }
}

static int run(char *command)
{
    char *argument[256] = {NULL};
    size_t n = 0;
    for (char *word = strtok(command, " \t"); word != NULL && n < 255; word = strtok(NULL, " \t"))
        argument[n++] = word;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execv(argument[0], argument);
        perror(argument[0]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 126;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct termios terminal;
    if (tcgetattr(1, &terminal) == 0) {
        terminal.c_oflag &= ~(tcflag_t)OPOST;
        tcsetattr(1, TCSANOW, &terminal);
    }
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    check_processor();
    puts("\036ready");
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen("/commands", "r");
    while (file != NULL && getline(&line, &size, file) > 2) {
        line[strcspn(line, "\n")] = 0;
        if (*line == 'e')
            putenv(strdup(line + 2));
        else if (*line == 'd' && chdir(line + 2) != 0)
            perror(line + 2);
        else if (*line == 'c')
            printf("\036exit %d\n", run(line + 2));
    }
    puts("\036end");
    tcdrain(1);
    if (ioperm(0x8900, 1, 1) == 0)
        for (const char *c = "Shutdown"; *c != 0; c++)
            outb((unsigned char)*c, 0x8900);
    return 1;
}
