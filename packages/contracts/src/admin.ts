import Type, { type Static } from 'typebox'
import { FreeObject, lenientModel, nullable, response, Text, Uuid } from './primitives.ts'

export const ServerDefaultResultStorage = response('ServerDefaultResultStorage', { default_result_storage_block_id: nullable(Uuid) })
export type ServerDefaultResultStorage = Static<typeof ServerDefaultResultStorage>

/** One of the few bodies in which unknown keys are dropped, not refused. */
export const ServerDefaultResultStorageUpdate = lenientModel('ServerDefaultResultStorageUpdate', { default_result_storage_block_id: Uuid })
export type ServerDefaultResultStorageUpdate = Static<typeof ServerDefaultResultStorageUpdate>

export const ServerSettings = FreeObject
export const ServerVersion = Text
export const Health = Type.Boolean()
export const Hello = Text
export const Ready = Type.Object({ message: Text })
