/* A simulated disk below SQLite: it remembers what was written and not synced, and can lose it.
 *
 * disk.c keeps the log of writes, vfs.c is the layer between SQLite and the file system, and control.c has the SQL
 * functions that control a disk. Files are real files; their content is what a program reads before a crash (the page
 * cache). */
#ifndef FLORIN_DISK_H
#define FLORIN_DISK_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_DISKS = 64, MAX_FILES = 16, SECTOR = 512 };

/* What an operation does. */
typedef enum { OP_WRITE, OP_TRUNCATE, OP_DELETE, OP_SYNC } OpKind;

/* What is known about an operation that is not forgotten yet. */
typedef enum {
    PENDING, /* not synced: a power cut may undo it, in whole or in part */
    DOOMED,  /* its sync failed: a later sync does not save it (the kernel may have dropped the page) */
    SYNCED   /* durable; kept because an earlier operation on the file is not */
} Fate;

/* An operation on a file, with what is needed to undo it and to do it again. */
typedef struct {
    OpKind kind;
    Fate fate;
    int file; /* the number of the file, as disk_file() returns it */
    int64_t offset; /* OP_TRUNCATE: the new size */
    int64_t length;
    unsigned char *after; /* OP_WRITE: the written bytes */
    unsigned char *before; /* the bytes that it replaced */
    int64_t before_length;
    int64_t size_before; /* the size of the file before */
} Op;

/* A failure that is injected. */
typedef enum {
    FAULT_NONE,
    FAULT_WRITE, /* writes fail */
    FAULT_FULL,  /* writes find no room */
    FAULT_TORN,  /* writes fail after their first half */
    FAULT_SYNC   /* syncs fail */
} Fault;

/* How the programs on the disk end. */
typedef enum { END_NONE, END_POWER, END_KILL } End;

/* A simulated disk: a directory. */
typedef struct {
    char directory[512];
    pthread_mutex_t lock;
    char *files[MAX_FILES];
    int open; /* the number of open files */
    Op *log;
    int logged, room; /* the number of logged operations, and how many fit into the memory of the log */
    int64_t count;  /* operations so far */
    uint64_t trace; /* a hash of them */
    FILE *listing;  /* where they are listed, or NULL */
    End end;        /* what happens at the operation with the number end_at */
    int64_t end_at;
    int dead; /* 1: the programs have ended, and every operation fails */
    Fault fault; /* the failure of the operations with numbers from fault_from to fault_until, exclusive */
    int64_t fault_from, fault_until;
} Disk;

/* Finds the disk of a path, or NULL. */
Disk *disk_of(const char *path);
/* Starts, or ends, the simulation of a directory. */
int disk_mount(const char *directory);
void disk_unmount(Disk *disk);
/* The number of a file of the disk. */
int disk_file(Disk *disk, const char *path);

/* Counts an operation. Returns SQLITE_OK, or the error that it ends with. *cut: the power is cut during this
 * operation, so that a part of it may have happened. */
int disk_begin(Disk *disk, OpKind kind, int file, int64_t offset, int64_t length, int *cut);
/* Logs an operation that is about to be done. */
Op *disk_log(Disk *disk, OpKind kind, int file, int64_t offset, int64_t size_before);
/* Marks the pending operations on a file as SYNCED or, if the sync failed, as DOOMED. */
void disk_synced(Disk *disk, int file, int failed);
/* Makes the names in the directory durable, and with them the deletions. */
void disk_synced_names(Disk *disk);

/* Loses the unsynced operations that the seed selects, and lets the disk work again. SQLITE_BUSY: a file
 * is open. */
int disk_lose(Disk *disk, uint64_t seed);

int disk_register_vfs(void);
int disk_register_functions(void);

#endif
