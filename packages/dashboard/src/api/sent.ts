import type { Received } from '@millrace/contracts/primitives.ts'

/** The body of an operation as one may send it: whatever the server fills in may be left out. `Sent<typeof FlowRunsFilterBody>`. */
export type RequestBody<S> = Partial<Received<S>>
