// member: what the launchers under measurement start. It writes down when it began, in $STAMPS, and waits; or writes
// lines first. Build: cc -O2 -static -o member member.c
//
//   member wait            waits to be ended
//   member write N [CODE]  writes N lines of 100 bytes and a last one, then waits, or exits with CODE
//   member begin CMD...    writes down the time zero, joins the cgroup $GROUP, and becomes CMD
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void stamp(char kind) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	char line[64];
	int length = snprintf(line, sizeof line, "%c %d %lld\n", kind, getpid(), now.tv_sec * 1000000000LL + now.tv_nsec);
	int fd = open(getenv("STAMPS"), O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, line, length) != length) _exit(99);
	close(fd);
}

int main(int argc, char **argv) {
	if (argc > 1 && !strcmp(argv[1], "wait")) {
		stamp('m');
		for (;;) pause();
	}
	if (argc > 2 && !strcmp(argv[1], "write")) {
		static char buffer[1 << 16];
		setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
		stamp('m');
		for (long i = 0; i < atol(argv[2]); i++)
			printf("line %09ld .................................................................................... \n", i);
		printf("the last line\n");
		fflush(stdout);
		if (argc > 3) _exit(atoi(argv[3]));
		for (;;) pause();
	}
	if (argc > 2 && !strcmp(argv[1], "begin")) {
		int fd = open(getenv("GROUP"), O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "0", 1) != 1) return 98;
		setsid();
		stamp('z');
		execvp(argv[2], argv + 2);
	}
	return 97;
}
