import type { Config } from '../config.ts'
import type { Clock } from '../lib/time.ts'
import { SchemaValidator } from '../schemas/schema-validator.ts'
import { perServer, type ServerContext, serverOf } from '../storage/server-context.ts'

export function createSchemaValidator(config: Config, clock: Clock): SchemaValidator {
  const { timeout_seconds, memory_limit_bytes, schema_limit_bytes, value_limit_bytes, waiting_limit } = config.server.schemas
  const limits = {
    timeoutSeconds: timeout_seconds,
    memoryMegabytes: memory_limit_bytes / (1024 * 1024),
    schemaBytes: schema_limit_bytes,
    valueBytes: value_limit_bytes,
    queuedMax: waiting_limit,
  }
  return new SchemaValidator(limits, clock)
}

const ownValidator = perServer(({ config, clock }) => createSchemaValidator(config, clock))

const sharedValidators = new WeakMap<ServerContext, SchemaValidator>()

/** The validator of a server. Its threads start with the first check; `app.ts` closes it. */
export const schemaValidator = (context: ServerContext): SchemaValidator => sharedValidators.get(serverOf(context)) ?? ownValidator(context)

/** Makes a server use a validator that outlives it. Starting threads takes 350 ms, so tests share one validator between servers. */
export const shareSchemaValidator = (context: ServerContext, validator: SchemaValidator): void =>
  void sharedValidators.set(serverOf(context), validator)

/** Leaves a shared validator open. */
export const closeSchemaValidator = (context: ServerContext): Promise<void> => ownValidator(context).close()
