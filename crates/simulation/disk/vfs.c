/* The layer between SQLite and the file system. It passes every call on, and logs the operations that
 * change files of a disk. */
#include "disk.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    sqlite3_file base;
    Disk *disk; /* NULL: the file is not on a simulated disk */
    int number;
    int is_new; /* 1: a log that did not exist. SQLite syncs the directory together with it */
    sqlite3_file *real; /* the file of the layer below, in the memory behind this struct */
} File;

static sqlite3_vfs *below;

static File *of(sqlite3_file *file) { return (File *)file; }
static sqlite3_file *real(sqlite3_file *file) { return of(file)->real; }

static int x_close(sqlite3_file *file) {
    Disk *disk = of(file)->disk;
    int result = real(file)->pMethods->xClose(real(file));
    if (disk) {
        pthread_mutex_lock(&disk->lock);
        disk->open--;
        pthread_mutex_unlock(&disk->lock);
    }
    return result;
}

static int x_read(sqlite3_file *file, void *into, int length, sqlite3_int64 offset) {
    if (of(file)->disk && of(file)->disk->dead) return SQLITE_IOERR_READ;
    return real(file)->pMethods->xRead(real(file), into, length, offset);
}

/* Reads what an operation is about to replace. */
static int keep(sqlite3_file *file, Op *op, int64_t offset, int64_t length) {
    int64_t there = op->size_before - offset;
    op->before_length = there < 0 ? 0 : there < length ? there : length;
    if (op->before_length == 0) return SQLITE_OK;
    op->before = malloc((size_t)op->before_length);
    if (!op->before) abort();
    return file->pMethods->xRead(file, op->before, (int)op->before_length, offset);
}

static int write_logged(File *file, const void *bytes, int length, sqlite3_int64 offset) {
    int cut, done = length;
    int failed = disk_begin(file->disk, OP_WRITE, file->number, offset, length, &cut);
    if (failed && file->disk->fault == FAULT_TORN && !file->disk->dead) done = length / 2;
    else if (failed && !cut) return failed;
    sqlite3_int64 size;
    int result = file->real->pMethods->xFileSize(file->real, &size);
    if (result != SQLITE_OK || done == 0) return result ? result : failed;
    Op *op = disk_log(file->disk, OP_WRITE, file->number, offset, size);
    op->length = done;
    op->after = malloc((size_t)done);
    if (!op->after) abort();
    memcpy(op->after, bytes, (size_t)done);
    result = keep(file->real, op, offset, done);
    if (result == SQLITE_OK) result = file->real->pMethods->xWrite(file->real, bytes, done, offset);
    return result ? result : failed;
}

static int x_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset) {
    File *mine = of(file);
    if (!mine->disk) return mine->real->pMethods->xWrite(mine->real, bytes, length, offset);
    pthread_mutex_lock(&mine->disk->lock);
    int result = write_logged(mine, bytes, length, offset);
    pthread_mutex_unlock(&mine->disk->lock);
    return result;
}

static int truncate_logged(File *file, sqlite3_int64 size) {
    int cut;
    int failed = disk_begin(file->disk, OP_TRUNCATE, file->number, size, 0, &cut);
    if (failed && !cut) return failed;
    sqlite3_int64 before;
    int result = file->real->pMethods->xFileSize(file->real, &before);
    if (result != SQLITE_OK) return result;
    Op *op = disk_log(file->disk, OP_TRUNCATE, file->number, size, before);
    result = keep(file->real, op, size, before);
    if (result == SQLITE_OK) result = file->real->pMethods->xTruncate(file->real, size);
    return result ? result : failed;
}

static int x_truncate(sqlite3_file *file, sqlite3_int64 size) {
    File *mine = of(file);
    if (!mine->disk) return mine->real->pMethods->xTruncate(mine->real, size);
    pthread_mutex_lock(&mine->disk->lock);
    int result = truncate_logged(mine, size);
    pthread_mutex_unlock(&mine->disk->lock);
    return result;
}

static int x_sync(sqlite3_file *file, int flags) {
    File *mine = of(file);
    if (!mine->disk) return mine->real->pMethods->xSync(mine->real, flags);
    int cut;
    pthread_mutex_lock(&mine->disk->lock);
    int failed = disk_begin(mine->disk, OP_SYNC, mine->number, 0, 0, &cut);
    if (!failed && mine->is_new) disk_synced_names(mine->disk);
    if (!failed) mine->is_new = 0;
    if (!mine->disk->dead) disk_synced(mine->disk, mine->number, failed != SQLITE_OK);
    pthread_mutex_unlock(&mine->disk->lock);
    return failed;
}

static int x_file_size(sqlite3_file *file, sqlite3_int64 *size) { return real(file)->pMethods->xFileSize(real(file), size); }
static int x_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int x_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int x_reserved(sqlite3_file *file, int *out) { return real(file)->pMethods->xCheckReservedLock(real(file), out); }
static int x_control(sqlite3_file *file, int op, void *arg) {
    return real(file)->pMethods->xFileControl(real(file), op, arg);
}
static int x_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int x_device(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }
static int x_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **out) {
    return real(file)->pMethods->xShmMap(real(file), region, size, extend, out);
}
static int x_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}
static void x_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int x_shm_unmap(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

static const sqlite3_io_methods methods = {
    2,         x_close,   x_read,   x_write,  x_truncate, x_sync,    x_file_size,   x_lock,     x_unlock, x_reserved,
    x_control, x_sector,  x_device, x_shm_map, x_shm_lock, x_shm_barrier, x_shm_unmap, NULL,      NULL,
};

static int x_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    (void)vfs;
    File *mine = of(file);
    memset(mine, 0, sizeof *mine);
    mine->real = (sqlite3_file *)(mine + 1);
    int there = 1;
    if (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) below->xAccess(below, name, SQLITE_ACCESS_EXISTS, &there);
    mine->is_new = !there;
    int result = below->xOpen(below, name, mine->real, flags, out);
    if (!mine->real->pMethods) return result;
    mine->base.pMethods = &methods;
    mine->disk = disk_of(name);
    if (mine->disk) {
        pthread_mutex_lock(&mine->disk->lock);
        mine->number = disk_file(mine->disk, name);
        mine->disk->open++;
        pthread_mutex_unlock(&mine->disk->lock);
    }
    return result;
}

/* Logs the deletion of a file together with its content. */
static int delete_logged(Disk *disk, const char *name, int durably) {
    int cut, number = disk_file(disk, name), there = 0;
    int result = below->xAccess(below, name, SQLITE_ACCESS_EXISTS, &there);
    if (result != SQLITE_OK || !there) return result ? result : SQLITE_IOERR_DELETE_NOENT;
    int failed = disk_begin(disk, OP_DELETE, number, 0, 0, &cut);
    if (failed && !cut) return failed;
    FILE *file = fopen(name, "rb");
    if (!file) return SQLITE_IOERR_DELETE;
    fseek(file, 0, SEEK_END);
    Op *op = disk_log(disk, OP_DELETE, number, 0, ftell(file));
    op->before_length = op->size_before;
    op->before = malloc((size_t)op->before_length + 1);
    if (!op->before) abort();
    rewind(file);
    size_t got = fread(op->before, 1, (size_t)op->before_length, file);
    fclose(file);
    if ((int64_t)got != op->before_length) return SQLITE_IOERR_READ;
    result = below->xDelete(below, name, 0);
    if (result == SQLITE_OK && durably && !failed) disk_synced(disk, number, 0);
    return result ? result : failed;
}

static int x_delete(sqlite3_vfs *vfs, const char *name, int durably) {
    (void)vfs;
    Disk *disk = disk_of(name);
    if (!disk) return below->xDelete(below, name, durably);
    pthread_mutex_lock(&disk->lock);
    int result = delete_logged(disk, name, durably);
    pthread_mutex_unlock(&disk->lock);
    return result;
}

static int x_access(sqlite3_vfs *vfs, const char *name, int flags, int *out) {
    (void)vfs;
    return below->xAccess(below, name, flags, out);
}
static int x_full_path(sqlite3_vfs *vfs, const char *name, int length, char *out) {
    (void)vfs;
    return below->xFullPathname(below, name, length, out);
}
static void *x_dl_open(sqlite3_vfs *vfs, const char *name) { (void)vfs; return below->xDlOpen(below, name); }
static void x_dl_error(sqlite3_vfs *vfs, int length, char *out) { (void)vfs; below->xDlError(below, length, out); }
static void (*x_dl_sym(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    (void)vfs;
    return below->xDlSym(below, library, name);
}
static void x_dl_close(sqlite3_vfs *vfs, void *library) { (void)vfs; below->xDlClose(below, library); }
static int x_randomness(sqlite3_vfs *vfs, int length, char *out) { (void)vfs; return below->xRandomness(below, length, out); }
static int x_sleep(sqlite3_vfs *vfs, int micros) { (void)vfs; return below->xSleep(below, micros); }
static int x_time(sqlite3_vfs *vfs, double *out) { (void)vfs; return below->xCurrentTime(below, out); }
static int x_last_error(sqlite3_vfs *vfs, int length, char *out) { (void)vfs; return below->xGetLastError(below, length, out); }
static int x_time64(sqlite3_vfs *vfs, sqlite3_int64 *out) { (void)vfs; return below->xCurrentTimeInt64(below, out); }

int disk_register_vfs(void) {
    static sqlite3_vfs vfs = {
        .iVersion = 2, .zName = "florin-disk", .xOpen = x_open, .xDelete = x_delete, .xAccess = x_access,
        .xFullPathname = x_full_path, .xDlOpen = x_dl_open, .xDlError = x_dl_error, .xDlSym = x_dl_sym,
        .xDlClose = x_dl_close, .xRandomness = x_randomness, .xSleep = x_sleep, .xCurrentTime = x_time,
        .xGetLastError = x_last_error, .xCurrentTimeInt64 = x_time64,
    };
    below = sqlite3_vfs_find(NULL);
    if (!below) return SQLITE_ERROR;
    vfs.szOsFile = (int)sizeof(File) + below->szOsFile;
    vfs.mxPathname = below->mxPathname;
    return sqlite3_vfs_register(&vfs, 1);
}
