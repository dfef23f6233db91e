import { invalid, ValidationErrors } from '../../errors.ts'

export interface Credentials {
  clientId: string
  clientSecret: string
}

interface Given {
  client_id?: string
  client_secret?: string
}

const readBasic = (authorization: string | undefined): Given => {
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization ?? '')?.[1]
  if (!encoded) return {}
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  return colon < 0
    ? { client_id: decoded }
    : { client_id: decoded.slice(0, colon), client_secret: decoded.slice(colon + 1) }
}

/** Reads credentials from the body or from HTTP Basic. If both are sent, they must match. */
export const readCredentials = (body: Given, authorization: string | undefined): Credentials => {
  const basic = readBasic(authorization)
  const errors = new ValidationErrors()
  for (const field of ['client_id', 'client_secret'] as const) {
    if (body[field] && basic[field] && body[field] !== basic[field])
      errors.add(field, 'differs from the Basic credentials')
    else if (!body[field] && !basic[field]) errors.add(field, 'is required, in the body or as Basic credentials')
    else if ((body[field] ?? basic[field] ?? '').length > 255 || basic[field]?.includes('\0'))
      errors.add(field, 'must be a string of 1 to 255 characters')
  }
  if (errors.any) throw invalid(errors.fields)
  return {
    clientId: (body.client_id ?? basic.client_id) as string,
    clientSecret: (body.client_secret ?? basic.client_secret) as string,
  }
}
