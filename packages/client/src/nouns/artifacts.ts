import type {
  Artifact,
  ArtifactCollection,
  ArtifactCreate,
  ArtifactsCountBody,
  ArtifactsFilterBody,
  ArtifactUpdate,
  LatestArtifactsCountBody,
  LatestArtifactsFilterBody,
} from '@millrace/contracts/artifact.ts'
import type { CallOptions } from '../http.ts'
import { iterateByOffset, type PageOptions } from '../pages.ts'
import { OperationGroup } from './operation-group.ts'

/** Results of runs for people: tables, texts, links, images, progress. */
export class Artifacts extends OperationGroup {
  /** Creates an artifact. One with a key becomes the latest of that key. */
  create(body: ArtifactCreate, options?: CallOptions): Promise<Artifact> {
    return this.http.call('POST', '/artifacts/', { body, options })
  }

  /** Reads an artifact by id. */
  read(id: string, options?: CallOptions): Promise<Artifact> {
    return this.http.call('GET', '/artifacts/{id}', { path: { id }, options })
  }

  /** Reads the latest artifact of a key. */
  readLatest(key: string, options?: CallOptions): Promise<Artifact> {
    return this.http.call('GET', '/artifacts/{key}/latest', { path: { key }, options })
  }

  /** Updates the data, description or metadata of an artifact. */
  update(id: string, body: ArtifactUpdate, options?: CallOptions): Promise<void> {
    return this.http.call('PATCH', '/artifacts/{id}', { path: { id }, body, options })
  }

  /** Deletes an artifact. The one before it becomes the latest of its key. */
  delete(id: string, options?: CallOptions): Promise<void> {
    return this.http.call('DELETE', '/artifacts/{id}', { path: { id }, options })
  }

  /** Lists artifacts, by default in descending order of their ids. */
  list(body: ArtifactsFilterBody = {}, options?: CallOptions): Promise<Artifact[]> {
    return this.http.call('POST', '/artifacts/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over all matching items, page by page. */
  listAll(body: Omit<ArtifactsFilterBody, 'offset' | 'limit'> = {}, options?: PageOptions): AsyncGenerator<Artifact, void, undefined> {
    return iterateByOffset((page, call) => this.list({ ...body, ...page }, call), options)
  }

  /** Lists the latest artifact of each key. */
  listLatest(body: LatestArtifactsFilterBody = {}, options?: CallOptions): Promise<ArtifactCollection[]> {
    return this.http.call('POST', '/artifacts/latest/filter', { body, isIdempotent: true, options })
  }

  /** Iterates over the latest artifacts of all keys, page by page. */
  listAllLatest(
    body: Omit<LatestArtifactsFilterBody, 'offset' | 'limit'> = {},
    options?: PageOptions,
  ): AsyncGenerator<ArtifactCollection, void, undefined> {
    return iterateByOffset((page, call) => this.listLatest({ ...body, ...page }, call), options)
  }

  /** Counts artifacts. */
  count(body: ArtifactsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/artifacts/count', { body, isIdempotent: true, options })
  }

  /** Counts the keys of artifacts. */
  countLatest(body: LatestArtifactsCountBody = {}, options?: CallOptions): Promise<number> {
    return this.http.call('POST', '/artifacts/latest/count', { body, isIdempotent: true, options })
  }
}
