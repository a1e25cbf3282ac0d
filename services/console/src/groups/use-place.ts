import { useParams } from '@tanstack/react-router'
import type { Place } from '../names/place.ts'

/** The place that the address of a page says. */
export function usePlace(): Place {
  const { organizationId } = useParams({ strict: false })
  return organizationId === undefined ? {} : { organization_id: organizationId }
}
