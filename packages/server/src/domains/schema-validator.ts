import { SchemaValidator } from '../schemas/schema-validator.ts'
import { perServer } from '../storage/server-context.ts'

/** The schema validator of a server. Its threads start with the first check; `app.ts` closes it. */
export const schemaValidator = perServer(({ config, clock }) => {
  const { timeout_seconds, memory_limit_bytes, schema_limit_bytes, value_limit_bytes, waiting_limit } = config.server.schemas
  const limits = {
    timeoutSeconds: timeout_seconds,
    memoryMegabytes: memory_limit_bytes / (1024 * 1024),
    schemaBytes: schema_limit_bytes,
    valueBytes: value_limit_bytes,
    queuedMax: waiting_limit,
  }
  return new SchemaValidator(limits, clock)
})
