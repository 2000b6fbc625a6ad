import Type, { type Static } from 'typebox'
import { limit, offset } from './paging.ts'
import { defaulted, entityFields, FreeJson, lenientModel, model, Name, parameters, response, Text } from './primitives.ts'

export const SavedSearchFilter = lenientModel('SavedSearchFilter', { object: Text, property: Text, type: Text, operation: Text, value: FreeJson })
export type SavedSearchFilter = Static<typeof SavedSearchFilter>

export const SavedSearch = response('SavedSearch', { ...entityFields, name: Text, filters: Type.Array(SavedSearchFilter) })
export type SavedSearch = Static<typeof SavedSearch>

export const SavedSearchCreate = model('SavedSearchCreate', { name: Name, filters: defaulted(Type.Array(SavedSearchFilter), []) })
export type SavedSearchCreate = Static<typeof SavedSearchCreate>

export const SavedSearchesFilterBody = parameters({ offset, limit })
export type SavedSearchesFilterBody = Static<typeof SavedSearchesFilterBody>
