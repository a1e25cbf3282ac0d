// What receivers of webhooks are told to use, so that tests see what these make of what is sent.
export { HTTP } from 'cloudevents'
export { Webhook } from 'standardwebhooks'
