/*
 * A plug-in for the emulator (its plug-in interface, version 1) that counts executed instructions. No package has the
 * interface's header: what is used of it is declared here.
 *
 * A line "counted N" for every stretch from a call of count_begin() to one of count_end(), and at the end "streaming
 * N": how many instructions of SME, or that ask for its registers, were executed in all.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned vcpu, void *data);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t call,
                                          enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_op op, void *place,
                                                uint64_t addend);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t call, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn);
void qemu_plugin_outs(const char *text);
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

EXPORT int qemu_plugin_version = 1;

static bool counting;
static uint64_t counted, streaming;

static void print(const char *what, uint64_t number)
{
    char line[64];
    (void)snprintf(line, sizeof line, "%s %" PRIu64 "\n", what, number);
    qemu_plugin_outs(line);
}

static void begin(unsigned vcpu, void *data)
{
    (void)vcpu, (void)data;
    counting = true;
    counted = 0;
}

static void end(unsigned vcpu, void *data)
{
    (void)vcpu, (void)data;
    counting = false;
    print("counted", counted);
}

static void count(unsigned vcpu, void *instructions)
{
    (void)vcpu;
    if (counting)
        counted += (uintptr_t)instructions;
}

static bool streams(uint32_t code)
{
    return (code >> 31 == 1 && (code >> 25 & 15) == 0) /* SME */
           || (code & 0xfffff800) == 0x04bf5800        /* RDSVL */
           || (code & 0xffa0f800) == 0x04205800        /* ADDSVL, ADDSPL */
           || (code & 0xfffff0ff) == 0xd503407f        /* SMSTART, SMSTOP */
           || (code & 0xffdfffe0) == 0xd51b4240        /* SVCR */
           || (code & 0xffdfffe0) == 0xd51bd0a0;       /* TPIDR2_EL0 */
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    const size_t n = qemu_plugin_tb_n_insns(tb);
    const char *symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0));
    qemu_plugin_vcpu_udata_cb_t call = count;
    if (symbol != NULL && strcmp(symbol, "count_begin") == 0)
        call = begin;
    else if (symbol != NULL && strcmp(symbol, "count_end") == 0)
        call = end;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, call, QEMU_PLUGIN_CB_NO_REGS, (void *)n);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        uint32_t code;
        memcpy(&code, qemu_plugin_insn_data(insn), sizeof code);
        if (streams(code))
            qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &streaming, 1);
    }
}

static void finish(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    print("streaming", streaming);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, finish, NULL);
    return 0;
}
