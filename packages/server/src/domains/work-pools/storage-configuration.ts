import type { WorkPoolStorageConfiguration } from '@millrace/contracts/work-pool.ts'
import { nullableJsonText, rawJson, writeJson } from '../../lib/json.ts'

/** How results and bundles of a pool are stored, complete and with its steps as they were sent. */
export const storageConfigurationText = (given: WorkPoolStorageConfiguration): string =>
  writeJson({
    bundle_upload_step: rawJson(nullableJsonText(given.bundle_upload_step)),
    bundle_execution_step: rawJson(nullableJsonText(given.bundle_execution_step)),
    default_result_storage_block_id: given.default_result_storage_block_id ?? null,
  })
