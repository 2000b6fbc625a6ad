import type { Static } from 'typebox'
import { lenientModel, orNull, Text, Uuid } from './primitives.ts'

const actorFields = { id: orNull(Uuid), type: orNull(Text), display_value: orNull(Text) }

export const CreatedBy = lenientModel('CreatedBy', actorFields)
export type CreatedBy = Static<typeof CreatedBy>

export const UpdatedBy = lenientModel('UpdatedBy', actorFields)
export type UpdatedBy = Static<typeof UpdatedBy>
