import Type, { type Static } from 'typebox'
import { byAllTags, byId, byName, operatorField } from './filter.ts'
import { limit, offset } from './paging.ts'
import { defaulted, entityFields, FreeJson, model, namedEnum, nullable, orNull, parameters, response, Tags, Text } from './primitives.ts'

/** Any JSON of at most 5,000 bytes. */
const Value = FreeJson

export const Variable = response('Variable', { ...entityFields, name: Text, value: Value, tags: Tags })
export type Variable = Static<typeof Variable>

const Name = Type.String({ pattern: '^[a-z0-9_-]*$', maxLength: 255 })

export const VariableCreate = model('VariableCreate', { name: Name, value: Value, tags: defaulted(Tags, []) })
export type VariableCreate = Static<typeof VariableCreate>

export const VariableUpdate = model('VariableUpdate', {
  name: Type.Optional(nullable(Name)),
  value: Type.Optional(Value),
  tags: Type.Optional(nullable(Tags)),
})
export type VariableUpdate = Static<typeof VariableUpdate>

export const VariableFilterId = model('VariableFilterId', byId)
export const VariableFilterName = model('VariableFilterName', byName)
export const VariableFilterTags = model('VariableFilterTags', byAllTags)

export const VariableFilter = model('VariableFilter', {
  ...operatorField,
  id: orNull(VariableFilterId),
  name: orNull(VariableFilterName),
  tags: orNull(VariableFilterTags),
})
export type VariableFilter = Static<typeof VariableFilter>

export const VariableSort = namedEnum('VariableSort', 'CREATED_DESC', 'UPDATED_DESC', 'NAME_DESC', 'NAME_ASC')
export type VariableSort = Static<typeof VariableSort>

export const VariablesCountBody = parameters({ variables: orNull(VariableFilter) })
export type VariablesCountBody = Static<typeof VariablesCountBody>
export const VariablesFilterBody = parameters({ offset, variables: orNull(VariableFilter), sort: defaulted(VariableSort, 'NAME_ASC'), limit })
export type VariablesFilterBody = Static<typeof VariablesFilterBody>
