import Type, { type Static } from 'typebox'
import { defaulted, entityFields, nameLimits, nullable, orNull, parameters, response, Text, Uuid } from './primitives.ts'

/** Lower-case letters, digits and dashes. */
const Key = Type.String({ pattern: '^[a-z0-9-]*$', maxLength: nameLimits.maxLength })

export const FlowRunInput = response('FlowRunInput', { ...entityFields, flow_run_id: Uuid, key: Key, value: Text, sender: nullable(Text) })
export type FlowRunInput = Static<typeof FlowRunInput>

export const FlowRunInputCreateBody = parameters({
  key: Key,
  value: Type.String({ contentMediaType: 'application/octet-stream', 'x-text': true }),
  sender: orNull(Text),
})
export type FlowRunInputCreateBody = Static<typeof FlowRunInputCreateBody>

export const FlowRunInputFilterBody = parameters({
  prefix: Text,
  limit: defaulted(Type.Integer({ minimum: 0 }), 1),
  exclude_keys: defaulted(Type.Array(Text), []),
})
export type FlowRunInputFilterBody = Static<typeof FlowRunInputFilterBody>
