// Generated from CustomResourceDefinitions by: node ops/toolchain/crdTypes.ts
export interface IngressRouteSpec {
  entryPoints?: string[];
  ingressClassName?: string;
  parentRefs?: {
    name: string;
    namespace?: string;
  }[];
  routes: {
    kind?: "Rule";
    match: string;
    middlewares?: {
      name: string;
      namespace?: string;
    }[];
    observability?: {
      accessLogs?: boolean;
      metrics?: boolean;
      traceVerbosity?: "minimal" | "detailed";
      tracing?: boolean;
    };
    priority?: number;
    services?: {
      healthCheck?: {
        followRedirects?: boolean;
        headers?: {
          [k: string]: string;
        };
        hostname?: string;
        interval?: number | string;
        method?: string;
        mode?: string;
        path?: string;
        port?: number;
        scheme?: string;
        status?: number;
        timeout?: number | string;
        unhealthyInterval?: number | string;
      };
      kind?: "Service" | "TraefikService";
      middlewares?: {
        name: string;
        namespace?: string;
      }[];
      name: string;
      namespace?: string;
      nativeLB?: boolean;
      nodePortLB?: boolean;
      passHostHeader?: boolean;
      passiveHealthCheck?: {
        failureWindow?: number | string;
        maxFailedAttempts?: number;
      };
      port?: number | string;
      responseForwarding?: {
        flushInterval?: string;
      };
      scheme?: string;
      serversTransport?: string;
      sticky?: {
        cookie?: {
          domain?: string;
          httpOnly?: boolean;
          maxAge?: number;
          name?: string;
          path?: string;
          sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
          secure?: boolean;
        };
      };
      strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
      weight?: number;
    }[];
    syntax?: string;
  }[];
  tls?: {
    certResolver?: string;
    domains?: {
      main?: string;
      sans?: string[];
    }[];
    options?: {
      name: string;
      namespace?: string;
    };
    secretName?: string;
    store?: {
      name: string;
      namespace?: string;
    };
  };
}

export interface MiddlewareSpec {
  addPrefix?: {
    prefix?: string;
  };
  basicAuth?: {
    headerField?: string;
    realm?: string;
    removeHeader?: boolean;
    secret?: string;
  };
  buffering?: {
    maxRequestBodyBytes?: number;
    maxResponseBodyBytes?: number;
    memRequestBodyBytes?: number;
    memResponseBodyBytes?: number;
    retryExpression?: string;
  };
  chain?: {
    middlewares?: {
      name: string;
      namespace?: string;
    }[];
  };
  circuitBreaker?: {
    checkPeriod?: number | string;
    expression?: string;
    fallbackDuration?: number | string;
    recoveryDuration?: number | string;
    responseCode?: number;
  };
  compress?: {
    defaultEncoding?: string;
    encodings?: string[];
    excludedContentTypes?: string[];
    includedContentTypes?: string[];
    minResponseBodyBytes?: number;
  };
  contentType?: {
    autoDetect?: boolean;
  };
  digestAuth?: {
    headerField?: string;
    realm?: string;
    removeHeader?: boolean;
    secret?: string;
  };
  encodedCharacters?: {
    allowEncodedBackSlash?: boolean;
    allowEncodedHash?: boolean;
    allowEncodedNullCharacter?: boolean;
    allowEncodedPercent?: boolean;
    allowEncodedQuestionMark?: boolean;
    allowEncodedSemicolon?: boolean;
    allowEncodedSlash?: boolean;
  };
  errors?: {
    query?: string;
    service?: {
      healthCheck?: {
        followRedirects?: boolean;
        headers?: {
          [k: string]: string;
        };
        hostname?: string;
        interval?: number | string;
        method?: string;
        mode?: string;
        path?: string;
        port?: number;
        scheme?: string;
        status?: number;
        timeout?: number | string;
        unhealthyInterval?: number | string;
      };
      kind?: "Service" | "TraefikService";
      middlewares?: {
        name: string;
        namespace?: string;
      }[];
      name: string;
      namespace?: string;
      nativeLB?: boolean;
      nodePortLB?: boolean;
      passHostHeader?: boolean;
      passiveHealthCheck?: {
        failureWindow?: number | string;
        maxFailedAttempts?: number;
      };
      port?: number | string;
      responseForwarding?: {
        flushInterval?: string;
      };
      scheme?: string;
      serversTransport?: string;
      sticky?: {
        cookie?: {
          domain?: string;
          httpOnly?: boolean;
          maxAge?: number;
          name?: string;
          path?: string;
          sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
          secure?: boolean;
        };
      };
      strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
      weight?: number;
    };
    status?: string[];
    statusRewrites?: {
      [k: string]: number;
    };
  };
  forwardAuth?: {
    addAuthCookiesToResponse?: string[];
    address?: string;
    authRequestHeaders?: string[];
    authResponseHeaders?: string[];
    authResponseHeadersRegex?: string;
    authSigninURL?: string;
    forwardBody?: boolean;
    headerField?: string;
    maxBodySize?: number;
    maxResponseBodySize?: number;
    preserveLocationHeader?: boolean;
    preserveRequestMethod?: boolean;
    tls?: {
      caOptional?: boolean;
      caSecret?: string;
      certSecret?: string;
      insecureSkipVerify?: boolean;
    };
    trustForwardHeader?: boolean;
  };
  grpcWeb?: {
    allowOrigins?: string[];
  };
  headers?: {
    accessControlAllowCredentials?: boolean;
    accessControlAllowHeaders?: string[];
    accessControlAllowMethods?: string[];
    accessControlAllowOriginList?: string[];
    accessControlAllowOriginListRegex?: string[];
    accessControlExposeHeaders?: string[];
    accessControlMaxAge?: number;
    addVaryHeader?: boolean;
    allowedHosts?: string[];
    browserXssFilter?: boolean;
    contentSecurityPolicy?: string;
    contentSecurityPolicyReportOnly?: string;
    contentTypeNosniff?: boolean;
    customBrowserXSSValue?: string;
    customFrameOptionsValue?: string;
    customRequestHeaders?: {
      [k: string]: string;
    };
    customResponseHeaders?: {
      [k: string]: string;
    };
    featurePolicy?: string;
    forceSTSHeader?: boolean;
    frameDeny?: boolean;
    hostsProxyHeaders?: string[];
    isDevelopment?: boolean;
    permissionsPolicy?: string;
    publicKey?: string;
    referrerPolicy?: string;
    sslForceHost?: boolean;
    sslHost?: string;
    sslProxyHeaders?: {
      [k: string]: string;
    };
    sslRedirect?: boolean;
    sslTemporaryRedirect?: boolean;
    stsIncludeSubdomains?: boolean;
    stsPreload?: boolean;
    stsSeconds?: number;
  };
  inFlightReq?: {
    amount?: number;
    sourceCriterion?: {
      ipStrategy?: {
        depth?: number;
        excludedIPs?: string[];
        ipv6Subnet?: number;
      };
      requestHeaderName?: string;
      requestHost?: boolean;
    };
  };
  ipAllowList?: {
    ipStrategy?: {
      depth?: number;
      excludedIPs?: string[];
      ipv6Subnet?: number;
    };
    rejectStatusCode?: number;
    sourceRange?: string[];
  };
  ipWhiteList?: {
    ipStrategy?: {
      depth?: number;
      excludedIPs?: string[];
      ipv6Subnet?: number;
    };
    sourceRange?: string[];
  };
  passTLSClientCert?: {
    info?: {
      issuer?: {
        commonName?: boolean;
        country?: boolean;
        domainComponent?: boolean;
        locality?: boolean;
        organization?: boolean;
        province?: boolean;
        serialNumber?: boolean;
      };
      notAfter?: boolean;
      notBefore?: boolean;
      sans?: boolean;
      serialNumber?: boolean;
      subject?: {
        commonName?: boolean;
        country?: boolean;
        domainComponent?: boolean;
        locality?: boolean;
        organization?: boolean;
        organizationalUnit?: boolean;
        province?: boolean;
        serialNumber?: boolean;
      };
    };
    pem?: boolean;
  };
  plugin?: {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  rateLimit?: {
    average?: number;
    burst?: number;
    period?: number | string;
    redis?: {
      db?: number;
      dialTimeout?: number | string;
      endpoints?: string[];
      maxActiveConns?: number;
      minIdleConns?: number;
      poolSize?: number;
      readTimeout?: number | string;
      secret?: string;
      tls?: {
        caSecret?: string;
        certSecret?: string;
        insecureSkipVerify?: boolean;
      };
      writeTimeout?: number | string;
    };
    sourceCriterion?: {
      ipStrategy?: {
        depth?: number;
        excludedIPs?: string[];
        ipv6Subnet?: number;
      };
      requestHeaderName?: string;
      requestHost?: boolean;
    };
  };
  redirectRegex?: {
    permanent?: boolean;
    regex?: string;
    replacement?: string;
  };
  redirectScheme?: {
    permanent?: boolean;
    port?: string;
    scheme?: string;
  };
  replacePath?: {
    path?: string;
  };
  replacePathRegex?: {
    regex?: string;
    replacement?: string;
  };
  retry?: {
    attempts?: number;
    disableRetryOnNetworkError?: boolean;
    initialInterval?: number | string;
    maxRequestBodyBytes?: number;
    retryNonIdempotentMethod?: boolean;
    status?: string[];
    timeout?: number | string;
  };
  stripPrefix?: {
    forceSlash?: boolean;
    prefixes?: string[];
  };
  stripPrefixRegex?: {
    regex?: string[];
  };
}

export interface TraefikServiceSpec {
  failover?: {
    errors: {
      maxRequestBodyBytes?: number;
      status?: string[];
    };
    fallback: {
      healthCheck?: {
        followRedirects?: boolean;
        headers?: {
          [k: string]: string;
        };
        hostname?: string;
        interval?: number | string;
        method?: string;
        mode?: string;
        path?: string;
        port?: number;
        scheme?: string;
        status?: number;
        timeout?: number | string;
        unhealthyInterval?: number | string;
      };
      kind?: "Service" | "TraefikService";
      middlewares?: {
        name: string;
        namespace?: string;
      }[];
      name: string;
      namespace?: string;
      nativeLB?: boolean;
      nodePortLB?: boolean;
      passHostHeader?: boolean;
      passiveHealthCheck?: {
        failureWindow?: number | string;
        maxFailedAttempts?: number;
      };
      port?: number | string;
      responseForwarding?: {
        flushInterval?: string;
      };
      scheme?: string;
      serversTransport?: string;
      sticky?: {
        cookie?: {
          domain?: string;
          httpOnly?: boolean;
          maxAge?: number;
          name?: string;
          path?: string;
          sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
          secure?: boolean;
        };
      };
      strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
      weight?: number;
    };
    service: {
      healthCheck?: {
        followRedirects?: boolean;
        headers?: {
          [k: string]: string;
        };
        hostname?: string;
        interval?: number | string;
        method?: string;
        mode?: string;
        path?: string;
        port?: number;
        scheme?: string;
        status?: number;
        timeout?: number | string;
        unhealthyInterval?: number | string;
      };
      kind?: "Service" | "TraefikService";
      middlewares?: {
        name: string;
        namespace?: string;
      }[];
      name: string;
      namespace?: string;
      nativeLB?: boolean;
      nodePortLB?: boolean;
      passHostHeader?: boolean;
      passiveHealthCheck?: {
        failureWindow?: number | string;
        maxFailedAttempts?: number;
      };
      port?: number | string;
      responseForwarding?: {
        flushInterval?: string;
      };
      scheme?: string;
      serversTransport?: string;
      sticky?: {
        cookie?: {
          domain?: string;
          httpOnly?: boolean;
          maxAge?: number;
          name?: string;
          path?: string;
          sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
          secure?: boolean;
        };
      };
      strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
      weight?: number;
    };
  };
  highestRandomWeight?: {
    services?: {
      healthCheck?: {
        followRedirects?: boolean;
        headers?: {
          [k: string]: string;
        };
        hostname?: string;
        interval?: number | string;
        method?: string;
        mode?: string;
        path?: string;
        port?: number;
        scheme?: string;
        status?: number;
        timeout?: number | string;
        unhealthyInterval?: number | string;
      };
      kind?: "Service" | "TraefikService";
      middlewares?: {
        name: string;
        namespace?: string;
      }[];
      name: string;
      namespace?: string;
      nativeLB?: boolean;
      nodePortLB?: boolean;
      passHostHeader?: boolean;
      passiveHealthCheck?: {
        failureWindow?: number | string;
        maxFailedAttempts?: number;
      };
      port?: number | string;
      responseForwarding?: {
        flushInterval?: string;
      };
      scheme?: string;
      serversTransport?: string;
      sticky?: {
        cookie?: {
          domain?: string;
          httpOnly?: boolean;
          maxAge?: number;
          name?: string;
          path?: string;
          sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
          secure?: boolean;
        };
      };
      strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
      weight?: number;
    }[];
  };
  mirroring?: {
    healthCheck?: {
      followRedirects?: boolean;
      headers?: {
        [k: string]: string;
      };
      hostname?: string;
      interval?: number | string;
      method?: string;
      mode?: string;
      path?: string;
      port?: number;
      scheme?: string;
      status?: number;
      timeout?: number | string;
      unhealthyInterval?: number | string;
    };
    kind?: "Service" | "TraefikService";
    maxBodySize?: number;
    middlewares?: {
      name: string;
      namespace?: string;
    }[];
    mirrorBody?: boolean;
    mirrors?: {
      healthCheck?: {
        followRedirects?: boolean;
        headers?: {
          [k: string]: string;
        };
        hostname?: string;
        interval?: number | string;
        method?: string;
        mode?: string;
        path?: string;
        port?: number;
        scheme?: string;
        status?: number;
        timeout?: number | string;
        unhealthyInterval?: number | string;
      };
      kind?: "Service" | "TraefikService";
      middlewares?: {
        name: string;
        namespace?: string;
      }[];
      name: string;
      namespace?: string;
      nativeLB?: boolean;
      nodePortLB?: boolean;
      passHostHeader?: boolean;
      passiveHealthCheck?: {
        failureWindow?: number | string;
        maxFailedAttempts?: number;
      };
      percent?: number;
      port?: number | string;
      responseForwarding?: {
        flushInterval?: string;
      };
      scheme?: string;
      serversTransport?: string;
      sticky?: {
        cookie?: {
          domain?: string;
          httpOnly?: boolean;
          maxAge?: number;
          name?: string;
          path?: string;
          sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
          secure?: boolean;
        };
      };
      strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
      weight?: number;
    }[];
    name: string;
    namespace?: string;
    nativeLB?: boolean;
    nodePortLB?: boolean;
    passHostHeader?: boolean;
    passiveHealthCheck?: {
      failureWindow?: number | string;
      maxFailedAttempts?: number;
    };
    port?: number | string;
    responseForwarding?: {
      flushInterval?: string;
    };
    scheme?: string;
    serversTransport?: string;
    sticky?: {
      cookie?: {
        domain?: string;
        httpOnly?: boolean;
        maxAge?: number;
        name?: string;
        path?: string;
        sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
        secure?: boolean;
      };
    };
    strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
    weight?: number;
  };
  weighted?: {
    services?: {
      healthCheck?: {
        followRedirects?: boolean;
        headers?: {
          [k: string]: string;
        };
        hostname?: string;
        interval?: number | string;
        method?: string;
        mode?: string;
        path?: string;
        port?: number;
        scheme?: string;
        status?: number;
        timeout?: number | string;
        unhealthyInterval?: number | string;
      };
      kind?: "Service" | "TraefikService";
      middlewares?: {
        name: string;
        namespace?: string;
      }[];
      name: string;
      namespace?: string;
      nativeLB?: boolean;
      nodePortLB?: boolean;
      passHostHeader?: boolean;
      passiveHealthCheck?: {
        failureWindow?: number | string;
        maxFailedAttempts?: number;
      };
      port?: number | string;
      responseForwarding?: {
        flushInterval?: string;
      };
      scheme?: string;
      serversTransport?: string;
      sticky?: {
        cookie?: {
          domain?: string;
          httpOnly?: boolean;
          maxAge?: number;
          name?: string;
          path?: string;
          sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
          secure?: boolean;
        };
      };
      strategy?: "wrr" | "p2c" | "hrw" | "leasttime" | "RoundRobin";
      weight?: number;
    }[];
    sticky?: {
      cookie?: {
        domain?: string;
        httpOnly?: boolean;
        maxAge?: number;
        name?: string;
        path?: string;
        sameSite?: "none" | "lax" | "strict" | "None" | "Lax" | "Strict";
        secure?: boolean;
      };
    };
  };
}
