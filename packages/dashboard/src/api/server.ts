import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

interface Settings {
  readonly version: string
  /** Other machines can use the server without a password. */
  readonly open_to_network: boolean
  readonly settings: Readonly<Record<string, unknown>>
  readonly clock: { readonly source: 'database' | 'machine'; readonly skew_seconds: number }
}

/** Version of Millrace and its settings. The server hides secrets. */
export const settingsQuery = () =>
  queryOptions({
    queryKey: ['settings'],
    queryFn: async ({ signal }) => (await client.server.settings({ signal })) as unknown as Settings,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Retention, row counts and removed rows per data type. */
export const retentionQuery = () => queryOptions({ queryKey: ['retention'], queryFn: ({ signal }) => client.server.retention({ signal }) })

/** API version, and the version that clients compare with their own. */
export const versionsQuery = () =>
  queryOptions({
    queryKey: ['versions'],
    queryFn: async ({ signal }) => {
      const [api, compatible] = await Promise.all([client.server.apiVersion({ signal }), client.server.version({ signal })])
      return { api, compatible }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
