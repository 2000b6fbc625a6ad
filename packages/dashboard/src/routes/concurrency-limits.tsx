import { createFileRoute } from '@tanstack/react-router'
import { ConcurrencyLimitsPage } from '../features/concurrency-limits/concurrency-limits-page.tsx'

export const Route = createFileRoute('/concurrency-limits')({ component: ConcurrencyLimitsPage })
