import { lazy, Suspense } from 'react'
import { Skeleton } from './skeleton.tsx'

const Body = lazy(() => import('./markdown-body.tsx').then((module) => ({ default: module.MarkdownBody })))

/** Somebody's markdown, without anything that could act. What it takes is loaded with the first one. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Skeleton className="h-24 w-full" />}>
      <Body text={text} />
    </Suspense>
  )
}
