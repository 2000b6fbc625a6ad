import Type, { type Static } from 'typebox'
import { entityFields, FreeObject, lenientModel, nullable, response, Text, Time, Uuid } from './primitives.ts'

export const ServerDefaultResultStorage = response('ServerDefaultResultStorage', { default_result_storage_block_id: nullable(Uuid) })
export type ServerDefaultResultStorage = Static<typeof ServerDefaultResultStorage>

/** One of the few bodies that drop unknown keys instead of rejecting them. */
export const ServerDefaultResultStorageUpdate = lenientModel('ServerDefaultResultStorageUpdate', { default_result_storage_block_id: Uuid })
export type ServerDefaultResultStorageUpdate = Static<typeof ServerDefaultResultStorageUpdate>

export const ServerSettings = FreeObject
export const ServerVersion = Text
export const Health = Type.Boolean()
export const Hello = Text
export const Ready = Type.Object({ message: Text })

export const CsrfToken = response('CsrfToken', { ...entityFields, token: Text, client: Text, expiration: Time })
export type CsrfToken = Static<typeof CsrfToken>

export const CsrfTokenQuery = Type.Object({ client: Text })
export type CsrfTokenQuery = Static<typeof CsrfTokenQuery>
