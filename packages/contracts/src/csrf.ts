import Type, { type Static } from 'typebox'
import { answer, stamps, Text, Time } from './primitives.ts'

export const CsrfToken = answer('CsrfToken', { ...stamps, token: Text, client: Text, expiration: Time })
export type CsrfToken = Static<typeof CsrfToken>

export const CsrfTokenQuery = Type.Object({ client: Text })
