import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

interface Settings {
  readonly version: string
  readonly settings: Readonly<Record<string, unknown>>
}

/** Millrace's own version and how it is set; secrets are hidden by the server. */
export const settingsQuery = () =>
  queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call<Settings>('GET', '/admin/settings', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
