/* The log of a disk, and what remains after the power was cut. */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Disk *disks[MAX_DISKS];
static pthread_mutex_t disks_lock = PTHREAD_MUTEX_INITIALIZER;

Disk *disk_of(const char *path) {
    Disk *found = NULL;
    pthread_mutex_lock(&disks_lock);
    for (int i = 0; path && i < MAX_DISKS && !found; i++) {
        size_t length = disks[i] ? strlen(disks[i]->directory) : 0;
        if (disks[i] && strncmp(path, disks[i]->directory, length) == 0 && (path[length] == '/' || !path[length]))
            found = disks[i];
    }
    pthread_mutex_unlock(&disks_lock);
    return found;
}

int disk_mount(const char *directory) {
    int result = SQLITE_FULL;
    pthread_mutex_lock(&disks_lock);
    for (int i = 0; i < MAX_DISKS && result != SQLITE_OK; i++) {
        if (disks[i]) continue;
        Disk *disk = calloc(1, sizeof *disk);
        if (!disk) break;
        snprintf(disk->directory, sizeof disk->directory, "%s", directory);
        pthread_mutex_init(&disk->lock, NULL);
        disks[i] = disk;
        result = SQLITE_OK;
    }
    pthread_mutex_unlock(&disks_lock);
    return result;
}

static void forget(Op *op) {
    free(op->after);
    free(op->before);
}

void disk_unmount(Disk *disk) {
    pthread_mutex_lock(&disks_lock);
    for (int i = 0; i < MAX_DISKS; i++)
        if (disks[i] == disk) disks[i] = NULL;
    pthread_mutex_unlock(&disks_lock);
    for (int i = 0; i < disk->logged; i++) forget(&disk->log[i]);
    for (int i = 0; i < MAX_FILES; i++) free(disk->files[i]);
    if (disk->listing) fclose(disk->listing);
    free(disk->log);
    free(disk);
}

int disk_file(Disk *disk, const char *path) {
    for (int i = 0; i < MAX_FILES; i++) {
        if (!disk->files[i]) disk->files[i] = strdup(path);
        if (strcmp(disk->files[i], path) == 0) return i;
    }
    abort();
}

int disk_begin(Disk *disk, OpKind kind, int file, int64_t offset, int64_t length, int *cut) {
    static const char *names[] = {"write", "truncate", "delete", "sync"};
    static const int errors[] = {SQLITE_IOERR_WRITE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_DELETE, SQLITE_IOERR_FSYNC};
    *cut = 0;
    if (disk->dead) return errors[kind];
    int64_t number = disk->count++;
    const int64_t facts[] = {kind, file, offset, length};
    for (int i = 0; i < 4; i++) disk->trace = (disk->trace ^ (uint64_t)facts[i]) * UINT64_C(0x100000001b3);
    if (disk->listing)
        fprintf(disk->listing, "%lld %s %s %lld+%lld\n", (long long)number, names[kind], disk->files[file],
                (long long)offset, (long long)length);
    if (disk->end != END_NONE && number >= disk->end_at) {
        disk->dead = 1;
        *cut = disk->end == END_POWER;
        return errors[kind];
    }
    if (number < disk->fault_from || number >= disk->fault_until) return SQLITE_OK;
    if (kind == OP_SYNC) return disk->fault == FAULT_SYNC ? SQLITE_IOERR_FSYNC : SQLITE_OK;
    if (kind != OP_WRITE) return SQLITE_OK;
    if (disk->fault == FAULT_FULL) return SQLITE_FULL;
    return disk->fault == FAULT_WRITE || disk->fault == FAULT_TORN ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

Op *disk_log(Disk *disk, OpKind kind, int file, int64_t offset, int64_t size_before) {
    if (disk->logged == disk->room) {
        disk->room = disk->room ? disk->room * 2 : 256;
        disk->log = realloc(disk->log, (size_t)disk->room * sizeof *disk->log);
        if (!disk->log) abort();
    }
    Op *op = &disk->log[disk->logged++];
    *op = (Op){.kind = kind, .fate = PENDING, .file = file, .offset = offset, .size_before = size_before};
    return op;
}

void disk_synced(Disk *disk, int file, int failed) {
    int kept = 0, blocked[MAX_FILES] = {0};
    for (int i = 0; i < disk->logged; i++) {
        Op *op = &disk->log[i];
        if (op->file == file && op->fate == PENDING) op->fate = failed ? DOOMED : SYNCED;
        /* A durable operation is kept while an earlier one on its file may be undone. */
        if (op->fate == SYNCED && !blocked[op->file]) {
            forget(op);
        } else {
            blocked[op->file] = 1;
            disk->log[kept++] = *op;
        }
    }
    disk->logged = kept;
}

void disk_synced_names(Disk *disk) {
    for (int i = 0; i < disk->logged; i++) {
        const Op *deleted = &disk->log[i];
        for (int j = 0; deleted->kind == OP_DELETE && j <= i; j++)
            if (disk->log[j].file == deleted->file) disk->log[j].fate = SYNCED;
    }
}

/* Writes bytes into a file, which is created if it does not exist. size: the size that the file gets; a negative size
 * leaves it as it is. */
static int put(const char *path, const unsigned char *bytes, int64_t length, int64_t offset, int64_t size) {
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0) return SQLITE_CANTOPEN;
    int result = SQLITE_OK;
    if (length > 0 && pwrite(file, bytes, (size_t)length, offset) != length) result = SQLITE_IOERR_WRITE;
    if (size >= 0 && ftruncate(file, size) != 0) result = SQLITE_IOERR_TRUNCATE;
    close(file);
    return result;
}

static int undo(const Disk *disk, const Op *op) {
    int64_t offset = op->kind == OP_DELETE ? 0 : op->offset;
    return put(disk->files[op->file], op->before, op->before_length, offset, op->size_before);
}

/* The next number of a sequence that the seed determines (SplitMix64). */
static uint64_t draw(uint64_t *seed) {
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Does a write again, in whole or only in some of its sectors. */
static int redo_write(const Disk *disk, const Op *op, int whole, uint64_t *seed) {
    int result = SQLITE_OK;
    for (int64_t from = 0; from < op->length && result == SQLITE_OK;) {
        int64_t until = from + SECTOR - (op->offset + from) % SECTOR;
        if (until > op->length) until = op->length;
        if (whole || draw(seed) % 2) result = put(disk->files[op->file], op->after + from, until - from, op->offset + from, -1);
        from = until;
    }
    return result;
}

int disk_lose(Disk *disk, uint64_t seed) {
    int result = SQLITE_OK, lost_delete[MAX_FILES] = {0};
    if (disk->open) return SQLITE_BUSY;
    for (int i = disk->logged - 1; i >= 0 && result == SQLITE_OK; i--) result = undo(disk, &disk->log[i]);
    /* 0: everything is lost. 1: everything survives. 2: a prefix survives. 3 to 5: decided for each operation. */
    int style = (int)(draw(&seed) % 6);
    int until = disk->logged ? (int)(draw(&seed) % (uint64_t)(disk->logged + 1)) : 0;
    for (int i = 0; i < disk->logged && result == SQLITE_OK; i++) {
        Op *op = &disk->log[i];
        int survives = style == 1 || (style == 2 && i < until) || (style > 2 && draw(&seed) % 2);
        int torn = (style == 2 && i == until) || (style > 2 && draw(&seed) % 4 == 0);
        if (op->fate == SYNCED) survives = 1, torn = 0;
        if (disk->listing)
            fprintf(disk->listing, "%s %s %lld+%lld\n", torn ? "torn" : survives ? "kept" : "lost", disk->files[op->file],
                    (long long)op->offset, (long long)op->length);
        /* A lost deletion leaves the old file, so unsynced writes to a new file of the same name are lost, too. */
        if (lost_delete[op->file] && op->fate != SYNCED) continue;
        if (op->kind == OP_WRITE && (survives || torn)) result = redo_write(disk, op, survives && !torn, &seed);
        if (op->kind == OP_TRUNCATE && survives) result = put(disk->files[op->file], NULL, 0, 0, op->offset);
        if (op->kind == OP_DELETE && survives) unlink(disk->files[op->file]);
        if (op->kind == OP_DELETE && !survives) lost_delete[op->file] = 1;
    }
    for (int i = 0; i < disk->logged; i++) forget(&disk->log[i]);
    disk->logged = 0;
    for (int i = 0; i < MAX_FILES && disk->files[i]; i++) {
        /* Shared memory does not survive. */
        char shared[600];
        snprintf(shared, sizeof shared, "%s-shm", disk->files[i]);
        unlink(shared);
    }
    disk->dead = 0;
    disk->end = END_NONE;
    return result;
}
