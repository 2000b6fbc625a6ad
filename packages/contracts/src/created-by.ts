import type { Static } from 'typebox'
import { orNull, part, Text, Uuid } from './primitives.ts'

const someone = { id: orNull(Uuid), type: orNull(Text), display_value: orNull(Text) }

export const CreatedBy = part('CreatedBy', someone)
export type CreatedBy = Static<typeof CreatedBy>

export const UpdatedBy = part('UpdatedBy', someone)
export type UpdatedBy = Static<typeof UpdatedBy>
