import Type, { type Static } from 'typebox'
import { entityFields, response, Text, Time } from './primitives.ts'

export const CsrfToken = response('CsrfToken', { ...entityFields, token: Text, client: Text, expiration: Time })
export type CsrfToken = Static<typeof CsrfToken>

export const CsrfTokenQuery = Type.Object({ client: Text })
