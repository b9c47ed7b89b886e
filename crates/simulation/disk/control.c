/* The SQL functions by which a simulation controls its disk. Every connection of the process has them. */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

static const char *text(sqlite3_value *value) { return (const char *)sqlite3_value_text(value); }

/* The disk that the first argument names, or NULL after an error was reported. */
static Disk *named(sqlite3_context *context, sqlite3_value **args) {
    Disk *disk = disk_of(text(args[0]));
    if (!disk) sqlite3_result_error(context, "no such disk", -1);
    return disk;
}

static void answer(sqlite3_context *context, int code) {
    if (code == SQLITE_OK) sqlite3_result_null(context);
    else sqlite3_result_error_code(context, code);
}

/* disk_mount(directory) */
static void mount(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    answer(context, disk_mount(text(args[0])));
}

/* disk_unmount(directory) */
static void unmount(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk) disk_unmount(disk);
}

/* disk_end(directory, how, after): cuts the power ('power') or kills the programs ('kill') after this number of further
 * operations. 'none' cancels the planned end. */
static void end(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (!disk) return;
    const char *how = text(args[1]);
    disk->end = strcmp(how, "power") == 0 ? END_POWER : strcmp(how, "kill") == 0 ? END_KILL : END_NONE;
    disk->end_at = disk->count + sqlite3_value_int64(args[2]);
}

/* disk_end_now(directory): ends the programs. Operations that they still try are not counted. */
static void end_now(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk) disk->dead = 1;
}

/* disk_fault(directory, kind, after, count): lets `count` operations fail, after `after` further operations. */
static void fault(sqlite3_context *context, int n, sqlite3_value **args) {
    static const char *kinds[] = {"none", "write", "full", "torn", "sync"};
    (void)n;
    Disk *disk = named(context, args);
    if (!disk) return;
    disk->fault = FAULT_NONE;
    for (int i = 0; i < 5; i++)
        if (strcmp(text(args[1]), kinds[i]) == 0) disk->fault = (Fault)i;
    disk->fault_from = disk->count + sqlite3_value_int64(args[2]);
    disk->fault_until = disk->fault_from + sqlite3_value_int64(args[3]);
}

/* disk_is_dead(directory) */
static void is_dead(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk) sqlite3_result_int(context, disk->dead);
}

/* disk_trace(directory): a hash of all operations so far. */
static void trace(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk) sqlite3_result_int64(context, (sqlite3_int64)disk->trace);
}

/* disk_count(directory): the number of operations so far. */
static void count(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk) sqlite3_result_int64(context, disk->count);
}

/* disk_open(directory): the number of open files. */
static void open_files(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk) sqlite3_result_int(context, disk->open);
}

/* disk_doomed(directory): whether a sync failed, and the writes that it should have saved are still not durable. */
static void doomed(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    int found = 0;
    for (int i = 0; disk && i < disk->logged; i++) found |= disk->log[i].fate == DOOMED;
    if (disk) sqlite3_result_int(context, found);
}

/* disk_list(directory, file): from now on, writes a line about each operation to this file. */
static void list(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk && !(disk->listing = fopen(text(args[1]), "w"))) sqlite3_result_error(context, "can't list", -1);
}

/* disk_lose(directory, seed): loses the unsynced writes that the seed selects, and lets the disk work again. */
static void lose(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (disk) answer(context, disk_lose(disk, (uint64_t)sqlite3_value_int64(args[1])));
}

/* disk_revive(directory): lets the disk work again after a program was killed. Nothing is lost. */
static void revive(sqlite3_context *context, int n, sqlite3_value **args) {
    (void)n;
    Disk *disk = named(context, args);
    if (!disk) return;
    disk->dead = 0;
    disk->end = END_NONE;
}

static int functions(sqlite3 *db, char **error, const void *api) {
    (void)error;
    (void)api;
    static const struct {
        const char *name;
        int args;
        void (*function)(sqlite3_context *, int, sqlite3_value **);
    } all[] = {
        {"disk_mount", 1, mount}, {"disk_unmount", 1, unmount}, {"disk_end", 3, end},     {"disk_end_now", 1, end_now},
        {"disk_fault", 4, fault}, {"disk_is_dead", 1, is_dead}, {"disk_trace", 1, trace}, {"disk_count", 1, count},
        {"disk_list", 2, list},   {"disk_open", 1, open_files}, {"disk_doomed", 1, doomed}, {"disk_lose", 2, lose},
        {"disk_revive", 1, revive},
    };
    int result = SQLITE_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && result == SQLITE_OK; i++)
        result = sqlite3_create_function(db, all[i].name, all[i].args, SQLITE_UTF8, NULL, all[i].function, NULL, NULL);
    return result;
}

int disk_register_functions(void) { return sqlite3_auto_extension((void (*)(void))functions); }

/* Runs before main: every database of the process is opened through the layer in vfs.c. SQLite's memory statistics are
 * off: nothing reads them, and each allocation would wait for their lock. */
__attribute__((constructor)) static void start(void) {
    if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK) abort();
    if (disk_register_vfs() != SQLITE_OK || disk_register_functions() != SQLITE_OK) abort();
}
