import type { ReceivedEvent, RelatedResource, Resource } from '@millrace/contracts/event.ts'
import { ageColumn, timeColumn } from '../output/columns.ts'
import { type Style, stateStyles } from '../output/style.ts'
import type { Column } from '../output/table.ts'

export const resourceId = (resource: Resource | RelatedResource): string => resource['prefect.resource.id'] ?? ''

const resourceName = (resource: Resource | RelatedResource): string => resource['prefect.resource.name'] || resourceId(resource)

/** Events of state changes end with the name of the state. */
export const eventStyle = (name: string): Style | undefined => stateStyles[name.slice(name.lastIndexOf('.') + 1).toUpperCase()]

export const listColumns: readonly Column<ReceivedEvent>[] = [
  ageColumn('OCCURRED', ({ occurred }) => occurred),
  { title: 'EVENT', value: ({ event }) => event, style: ({ event }) => eventStyle(event) },
  { title: 'RESOURCE', value: ({ resource }) => resourceName(resource) },
  { title: 'RESOURCE ID', value: ({ resource }) => resourceId(resource), isWide: true },
  { title: 'ID', value: ({ id }) => id, isWide: true, isFixed: true },
]

export const fields: readonly Column<ReceivedEvent>[] = [
  { title: 'EVENT', value: ({ event }) => event, style: ({ event }) => eventStyle(event) },
  { title: 'RESOURCE', value: ({ resource }) => resourceId(resource) },
  timeColumn('OCCURRED', ({ occurred }) => occurred),
  timeColumn('RECEIVED', ({ received }) => received),
  { title: 'FOLLOWS', value: ({ follows }) => follows },
  { title: 'ID', value: ({ id }) => id },
]

export const relatedColumns: readonly Column<RelatedResource>[] = [
  { title: 'ROLE', value: (resource) => resource['prefect.resource.role'] },
  { title: 'NAME', value: (resource) => resource['prefect.resource.name'] },
  { title: 'RESOURCE', value: resourceId, isFixed: true },
]

/** The labels of a resource that other columns do not show. */
export const otherLabels = ({ 'prefect.resource.id': _id, ...labels }: Resource): Record<string, string> => labels
