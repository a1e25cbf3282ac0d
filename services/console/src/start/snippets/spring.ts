import { byHttp, lines, pathOf, portOf, quoted, type Snippet, type SnippetValues } from './values.ts'

const starters = (...names: string[]) =>
  `# src/main/resources/application.yaml of Spring Boot 4, with ${names.map((name) => `spring-boot-starter-${name}`).join(' and ')}`

const registration = ({ clientId, clientSecret, scope }: SnippetValues) => [
  'spring.security.oauth2.client:',
  '  registration.gatehouse:',
  `    client-id: ${quoted(clientId)}`,
  `    client-secret: ${quoted(clientSecret)}`,
  `    scope: ${quoted(scope.split(' ').join(', '))}`,
]

/** Spring finds out who logged in from an OpenID provider only. */
const withLogin = (values: SnippetValues) =>
  values.openid && byHttp(values) && pathOf(values.redirectUri) !== '/'

/** A web app on a server: its settings, and its code. */
export const springWeb: readonly Snippet[] = [
  {
    name: 'Spring Boot',
    when: withLogin,
    code: (values) =>
      lines(
        starters('webmvc', 'security-oauth2-client'),
        `server.port: ${portOf(values.redirectUri)}`,
        ...registration(values),
        `    redirect-uri: ${quoted(values.redirectUri)}`,
        '  provider.gatehouse:',
        '    # Spring reads the endpoints and the keys of the server when it starts.',
        `    issuer-uri: ${quoted(values.issuer)}`,
      ),
  },
  {
    name: 'App.java',
    when: withLogin,
    code: ({ redirectUri }) => `// src/main/java/com/example/App.java
package com.example;

import static org.springframework.web.util.HtmlUtils.htmlEscape;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class App {
  public static void main(String[] arguments) {
    SpringApplication.run(App.class, arguments);
  }

  @Bean
  SecurityFilterChain pages(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
        .oauth2Login((login) -> login.redirectionEndpoint((at) -> at.baseUri(${quoted(pathOf(redirectUri))})))
        .build();
  }

  @GetMapping("/")
  String home(@AuthenticationPrincipal OidcUser user) {
    String name = user.getFullName() != null ? user.getFullName() : user.getPreferredUsername();
    return "<p>Hello " + htmlEscape(name != null ? name : user.getSubject()) + "!</p>";
  }
}`,
  },
]

/** A service that asks for a token: its settings, and its code. */
export const springMachine: readonly Snippet[] = [
  {
    name: 'Spring Boot',
    code: (values) =>
      lines(
        starters('security-oauth2-client'),
        'spring.main.web-application-type: none',
        ...registration(values),
        '    authorization-grant-type: client_credentials',
        '  provider.gatehouse:',
        `    token-uri: ${quoted(values.tokenEndpoint)}`,
      ),
  },
  {
    name: 'App.java',
    code: () => `// src/main/java/com/example/App.java
package com.example;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;

@SpringBootApplication
public class App {
  public static void main(String[] arguments) {
    SpringApplication.run(App.class, arguments);
  }

  @Bean
  CommandLineRunner showToken(ClientRegistrationRepository clients, OAuth2AuthorizedClientService tokens) {
    var manager = new AuthorizedClientServiceOAuth2AuthorizedClientManager(clients, tokens);
    var request = OAuth2AuthorizeRequest.withClientRegistrationId("gatehouse").principal("service").build();
    return (arguments) -> System.out.println(manager.authorize(request).getAccessToken().getTokenValue());
  }
}`,
  },
]
