/* Encoded states of an engine, as they come and with the checksum set right: what is read is what is written again. */
#include "fuzz.h"

enum { MOST = 1 << 16 };

/* One for all inputs: an import replaces all that there was. */
static pleach_engine *obtain_engine(void)
{
    static pleach_engine *engine;
    pleach_config config;
    pleach_config_init(&config);
    config.workers = 1;
    if (engine == NULL)
        EXPECT(pleach_engine_open(&engine, &config, NULL) == PLEACH_OK);
    return engine;
}

static void check(const uint8_t *encoded, size_t size)
{
    pleach_engine *engine = obtain_engine();
    pleach_engine_view *view = NULL;
    struct bytes bytes = {encoded, size};
    if (pleach_engine_state_import(engine, read_bytes, &bytes, NULL) != PLEACH_OK)
        return;
    EXPECT(pleach_engine_view_open(engine, PLEACH_ENGINE_LATEST, &view) == PLEACH_OK);
    EXPECT(pleach_engine_state_size(view) == size);
    bytes = (struct bytes){encoded, size};
    EXPECT(pleach_engine_state_export(view, expect_bytes, &bytes) == PLEACH_OK && bytes.left == 0);
    pleach_engine_view_close(engine, view);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t set_right[MOST];
    check_both(check, bytes, size, set_right, sizeof set_right);
    return 0;
}
