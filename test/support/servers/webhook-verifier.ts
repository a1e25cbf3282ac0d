// The library that the docs recommend to receivers of webhooks, so that tests verify what is sent with it.
export { HTTP } from 'cloudevents'
export { Webhook } from 'standardwebhooks'
