import { readPage, readString } from '../../search-params.ts'

/** Filters of the artifacts page in the URL. */
export interface ArtifactsSearch {
  readonly find?: string | undefined
  readonly type?: string | undefined
  readonly page?: number | undefined
}

export const artifactTypes = [
  { value: '', label: 'All types' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'table', label: 'Tables' },
  { value: 'image', label: 'Images' },
  { value: 'progress', label: 'Progress' },
  { value: 'link', label: 'Links' },
] as const

/** Clients may use types that are not listed. */
export const readArtifactsSearch = (params: Record<string, unknown>): ArtifactsSearch => ({
  find: readString(params.find),
  type: readString(params.type),
  page: readPage(params.page),
})
