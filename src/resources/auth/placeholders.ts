/** Placeholders for values that are secret or differ between servers. */
export const PLACEHOLDERS = {
  client_id: 'app_0000000000000000',
  client_secret: 'sk_this-is-not-a-secret',
  install_id: '00000000-0000-7000-8000-000000000001',
  token: 'eyJhbGciOiJIUzI1NiJ9.this-is-not-a-token.this-is-not-a-signature',
}
