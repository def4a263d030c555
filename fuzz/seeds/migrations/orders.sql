CREATE TABLE customers (
    id    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email TEXT NOT NULL,
    name  TEXT NOT NULL DEFAULT ''
);

-- Look-ups by mail address are frequent; the same address may still be stored twice.
CREATE INDEX customers_email_idx ON customers (email);

CREATE TABLE orders (
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ticket_type_id BIGINT NOT NULL REFERENCES ticket_types (id),
    customer_id    BIGINT NOT NULL REFERENCES customers (id),
    quantity       INTEGER NOT NULL CHECK (quantity > 0),
    total_cents    BIGINT NOT NULL
);
