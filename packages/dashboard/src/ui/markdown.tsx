import { lazy, Suspense } from 'react'
import { Skeleton } from './skeleton.tsx'

const Body = lazy(() => import('./markdown-body.tsx').then((module) => ({ default: module.MarkdownBody })))

/** Renders untrusted Markdown without active content. The renderer is loaded on first use. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<Skeleton className="h-24 w-full" />}>
      <Body text={text} />
    </Suspense>
  )
}
