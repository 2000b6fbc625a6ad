import type { Received } from '@millrace/contracts/primitives.ts'

/** Request body of an operation, e.g. `RequestBody<typeof FlowRunsFilterBody>`. Fields that the server fills in are optional. */
export type RequestBody<S> = Partial<Received<S>>
