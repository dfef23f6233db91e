import { type Static, Type } from 'typebox'
import { creation, listQuery, resource, Text, Timestamp, Uuid } from '../../core/input/schemas.ts'

export const Domain = resource(
  'Domain',
  Type.Object(
    {
      id: Uuid,
      host: Type.String({ description: 'The host name as in URLs: ASCII, in lower case.' }),
      unicode_host: Type.String({ description: 'The host name as people read it.' }),
      is_primary: Type.Boolean({
        description: 'Whether links of orders, and of landing pages without a domain of their own, use it.',
      }),
      created_at: Timestamp,
      updated_at: Timestamp,
    },
    { additionalProperties: false },
  ),
)
export type Domain = Static<typeof Domain>

export const DomainQuery = listQuery(['created_at'], 'created_at', {})

const Host = Text(253, {
  minLength: 1,
  description:
    'A host name in any script, such as `shop.example` or `متجر.example`: no port, no path, no IP address. ' +
    'Unique across all stores. The service does not check that it points to the storefront.',
})
const is_primary = Type.Optional(
  Type.Boolean({ description: 'true: makes it the primary domain, in place of the current one.' }),
)

export const NewDomain = creation({ host: Host, is_primary })
export type NewDomain = Static<typeof NewDomain>

export const DomainChanges = Type.Object({ host: Type.Optional(Host), is_primary })
export type DomainChanges = Static<typeof DomainChanges>
